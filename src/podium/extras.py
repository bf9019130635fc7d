"""What ``pip install podium`` leaves out: packages that only some features need, in extras."""

from importlib.util import find_spec

from podium.errors import InputError

_FEATURES = {
    "alembic": ("a league", "league"),
    "cloudpickle": ("sharing work among processes", "parallel"),
    "distributed": ("the backend dask", "dask"),
    "fastapi": ("the web league", "web"),
    "fastexcel": ("reading Excel and OpenDocument sheets", "sheets"),
    "jinja2": ("the web league", "web"),
    "joblib": ("sharing work among processes", "parallel"),
    "matplotlib": ("drawing", "plots"),
    "optuna": ("tuning without a grid", "tune"),
    "prometheus_client": ("the web league", "web"),
    "psycopg": ("a league in PostgreSQL", "postgresql"),
    "rapidfuzz": ("finding names that are almost the same", "names"),
    "python_multipart": ("the web league", "web"),
    "ray": ("the backend ray", "ray"),
    "rich": ("the command line", "cli"),
    "rustworkx": ("matchmaking", "matchmaking"),
    "scipy": ("matchmaking", "matchmaking"),
    "sqlalchemy": ("a league", "league"),
    "typer": ("the command line", "cli"),
    "urllib3": ("fetching results", "cli"),
    "uvicorn": ("the web league", "web"),
}


def is_installed(package: str) -> bool:
    """Whether a package is there; it is not imported."""
    return find_spec(package) is not None


def require(*packages: str) -> None:
    """Raise, saying what to install, unless these packages are there; they are not imported.

    Example:
        >>> require("matplotlib")
    """
    for package in packages:
        if not is_installed(package):
            raise missing(package)


def missing(package: str) -> InputError:
    """The sentence about a package that is not there."""
    feature, extra = _FEATURES[package]
    return InputError(f"{feature} needs {package}; pip install 'podium[{extra}]' brings it.")

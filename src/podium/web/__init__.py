"""The web league: pages to look at, an API to ask, and a static site to publish."""

from podium.extras import require

require("fastapi", "jinja2", "prometheus_client", "uvicorn")

from podium.web.app import create_app

__all__ = ["create_app"]

from podium.cli import demo


def test_the_demonstration_runs_twice_in_the_same_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        demo.main()
        shown = capsys.readouterr().out
        assert "$ podium rate demo/season.csv --out demo/ratings" in shown
        assert "300 players" in shown
        assert "podium serve demo/league.db" in shown
    files = {path.name for path in (tmp_path / "demo").iterdir()}
    assert {"season.csv", "ratings", "league.db", "site"} < files
    page = (tmp_path / "demo" / "site" / "index.html").read_text()
    assert "The demonstration league" in page
    assert any(name.endswith(".png") for name in files)

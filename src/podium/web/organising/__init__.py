"""Organisers' pages: all that the command line does to a league, looked at before it is done.

`desk` is who works on which league; `fields` makes forms of operations, `forms`, `people` and
`ruling` have those that need more, `operating` leads each from the form by a preview to the log;
`uploads` keeps and reads files, `options` offers how they are read, `typing` takes what is typed,
`recording` leads from files to contests; `trying` has previews and what goes by them; `running` has
contests that are live; `lists` shows what the league holds, `owning` and `telling` are for owners.
"""

from fastapi import APIRouter

from podium.web.organising import lists, operating, owning, recording, running, telling

router = APIRouter(include_in_schema=False)
for each in (lists, owning, telling, running, operating, recording):
    router.include_router(each.router)

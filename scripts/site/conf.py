"""The site of the documents: read by sphinx-build, which scripts/site.sh runs on a folder of staged pages.

The Markdown is as it stands in the checkout. What a reader of the site has more than one of the files is made here: the
list of pages beside each page, and links where a document is named in backquotes.
"""

import os
import re

from docutils import nodes
from pygments.lexers.special import TextLexer

project = "fastjournal"
version = release = os.environ["FJ_VERSION"]
root_doc = "index"
extensions = ["myst_parser"]
myst_heading_anchors = 4
nitpicky = True
smartquotes = False  # -- is the begin of an option

html_theme = "alabaster"
html_title = f"fastjournal {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_use_index = False
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_theme_options = {
    "description": "a durable job queue",
    "show_powered_by": False,
    "sidebar_includehidden": True,
    "sidebar_collapse": True,
    "fixed_sidebar": True,
    "page_width": "72rem",
    "sidebar_width": "16rem",
    "body_max_width": "none",
    "show_relbars": False,
    # The fonts of the reader's system: none are fetched.
    "font_family": "system-ui, 'DejaVu Sans', sans-serif",
    "head_font_family": "system-ui, 'DejaVu Sans', sans-serif",
    "code_font_family": "ui-monospace, 'DejaVu Sans Mono', monospace",
    "font_size": "1rem",
    "code_font_size": "0.875rem",
}

# The pages by their subjects. Each page of the site is in one of these lists: Sphinx warns of one that is not, and
# warnings end the build.
NAVIGATION = {
    "Begin": [
        "doc/tutorial",
        "doc/concepts",
        "doc/recipes",
        "doc/coming-from",
        "doc/comparison",
        "doc/demo",
        "doc/table-reference",
        "doc/merge",
        "doc/spool",
    ],
    "Programs": ["clients/*", "clients/*/*", "doc/protocol", "doc/http", "doc/feed"],
    "Operations": [
        "doc/operations",
        "doc/security",
        "doc/page",
        "doc/alerts",
        "doc/log-tools",
        "doc/list-system",
    ],
    "Promises": ["doc/durability", "doc/hostile", "doc/performance"],
    "Manual": ["manual/index", "CHANGELOG"],
}
# What other branches of the documents add is shown below the rest.
REST = "More"

MAN_PAGE = re.compile(r"([a-z.-]+)\((\d)\)")


def toctree(caption, pages, hidden=True):
    lines = ["", "```{toctree}", ":glob:", ":titlesonly:"]
    if hidden:
        lines.append(":hidden:")
    if caption:
        lines.append(f":caption: {caption}")
    return "\n".join([*lines, "", *pages, "```", ""])


def add_navigation(app, docname, source):
    if docname == "manual/index":
        source[0] += toctree("", ["*.1", "*.5", "*.7", "*.8"], hidden=False)
    if docname != root_doc:
        return
    named = {page for pages in NAVIGATION.values() for page in pages}
    rest = [
        name
        for name in sorted(app.env.found_docs)
        if name.startswith("doc/") and name not in named
    ]
    for caption, pages in NAVIGATION.items():
        source[0] += toctree(caption, pages)
    if rest:
        source[0] += toctree(REST, rest)


def target_of(app, text):
    """The page that a text in backquotes names: `doc/spool.md`, `python/README.md`, `fastjournal-put(1)`."""
    page = MAN_PAGE.fullmatch(text)
    if page:
        names = [f"manual/{page[1]}.{page[2]}"]
    elif text.endswith(".md"):
        names = [text[:-3], "doc/" + text[:-3], "clients/" + text[:-3]]
        names = [root_doc if name == "README" else name for name in names]
    else:
        return None
    return next((name for name in names if name in app.env.found_docs), None)


def link_names(app, doctree, docname):
    for literal in list(doctree.findall(nodes.literal)):
        target = target_of(app, literal.astext())
        if target is None or target == docname or isinstance(literal.parent, nodes.reference):
            continue
        uri = app.builder.get_relative_uri(docname, target)
        literal.replace_self(nodes.reference("", "", literal.deepcopy(), refuri=uri))


def setup(app):
    app.add_lexer("transcript", TextLexer)
    app.add_lexer("stomp", TextLexer)
    app.add_lexer("beanstalkd", TextLexer)
    app.add_lexer("sqs", TextLexer)
    app.add_lexer("http", TextLexer)  # ours are commands of curl with their answers
    app.add_lexer("fj", TextLexer)  # bytes of frames
    app.connect("source-read", add_navigation)
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True}

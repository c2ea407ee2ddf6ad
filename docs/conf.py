"""The site that `make docs` builds into out/docs; our own part of it is in `_site`."""

import sys
from pathlib import Path

import pushpoint

sys.path.insert(0, str(Path(__file__).parent))

project = "pushpoint"
author = "The pushpoint authors"
copyright = "The pushpoint authors, MIT licence"
version = release = pushpoint.__version__

extensions = ["myst_nb", "sphinx_copybutton", "_site"]
exclude_patterns = ["_site", "results", "images"]

myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 4  # links to headings are written as a forge writes them: planar.md#2-state
smartquotes_action = "qe"  # quotes and dots, but --no-media keeps its dashes
nb_execution_mode = "off"  # notebooks keep their outputs

html_theme = "furo"
html_title = f"pushpoint {release}"
html_static_path = ["_site/static"]
html_css_files = ["pushpoint.css"]
html_copy_source = False
html_show_sphinx = False
templates_path: list[str] = []
pygments_style, pygments_dark_style = "friendly", "monokai"
copybutton_exclude = ".linenos, .gp, .go"

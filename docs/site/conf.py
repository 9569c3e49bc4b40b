# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx's configuration. build.py runs it on the folder that stage.py writes."""

import os
import re
import sys
from pathlib import Path

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

project = "Comm"
copyright = "the authors of Comm"
version = re.search(r"project\(Comm VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
release = version
extensions = ["myst_nb", "sphinx_copybutton"]
root_doc = "README"
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext", ".ipynb": "myst-nb"}

html_theme = "furo"
html_title = f"Comm {version}"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_domain_indices = False
html_theme_options = {"navigation_with_keys": True}

# Anchors as GitHub makes them, so that links between pages hold in both places.
myst_heading_anchors = 5
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = os.environ.get("COMM_SITE_EXECUTE", "cache")
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True
# Signatures wrap in narrow windows.
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
# Pages of the repository are not written for Sphinx: headings may skip a level (TableGen's do), and the lexers of C++
# and of MLIR do not know all that is in examples. Names of types in signatures may be those of several objects.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "ref.python"]


class MLIRLexer(RegexLexer):
    """MLIR's textual form."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"//.*?$", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String),
            (r"%[\w$.#-]+", Name.Variable),
            (r"@[\w$.-]+", Name.Function),
            (r"\^[\w$.-]+", Name.Label),
            (r"[!#][A-Za-z_][\w.$]*", Keyword.Type),
            (r"\b(?:x)?(?:i|si|ui|f|bf)\d+\b|\bindex\b", Keyword.Type),
            (r"\b(?:memref|tensor|vector|tuple|complex|none)\b(?=\s*<|\b)", Keyword.Type),
            (r"\b[a-z_]\w*\.[\w.]+", Name.Builtin),
            (r"-?\b\d+(?:\.\d*)?(?:[eE][+-]?\d+)?\b", Number),
            (r"\b(?:to|step|iter_args|async|attributes|private|public|return|loc|outs|ins)\b", Keyword),
            (r"->|=", Operator),
            (r"\s+|\w+|.", Text),
        ]
    }


def setup(app):
    app.add_lexer("mlir", MLIRLexer)

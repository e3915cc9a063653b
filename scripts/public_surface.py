#!/usr/bin/env python3
"""Lists the public surface of the crate from the pages that `cargo doc` has made.

    cargo doc --no-deps --all-features
    python3 scripts/public_surface.py target/doc/dualbody > scripts/public_surface.txt

One line for an item, a method, an implementation of a trait, with its signature, sorted by path: a change of the
surface is a change of the list, which stands in the diff that is reviewed. With `--check LIST` it says what differs from a
list, and fails if anything does.
"""

import difflib
import pathlib
import re
import sys
from html.parser import HTMLParser

# What rustdoc adds to every type.
ADDED = ("synthetic-implementations-list", "blanket-implementations-list")
# What a type has by being a slice, which the standard library says.
OF_SLICES = "deref-methods-%5B"
# What a type says of itself: its declaration, its own methods, its traits.
OWN = re.compile(r"(?:#\[.*?\] ?)*pub |macro_rules! |impl\b(?!.* StructuralPartialEq ).* for ")
VOID = {"meta", "link", "br", "img", "input", "hr", "wbr", "source"}


class Signatures(HTMLParser):
    """The texts of the declaration of a page's item, and of the headers of its methods and implementations."""

    def __init__(self):
        super().__init__()
        self.depth = 0
        self.text = None
        self.until = 0
        self.skipped = 0
        self.signatures = []

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            return
        self.depth += 1
        attributes = dict(attributes)
        classes = (attributes.get("class") or "").split()
        section = attributes.get("id") or ""
        if not self.skipped and (section in ADDED or section.startswith(OF_SLICES)):
            self.skipped = self.depth
        if self.skipped or self.text is not None:
            return
        if "item-decl" in classes or "code-header" in classes:
            self.text, self.until = [], self.depth

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if self.text is not None and self.depth == self.until:
            signature = re.sub(r"\s+", " ", "".join(self.text)).strip()
            signature = re.sub(r" ?/\* .*? \*/ ?", " .. ", signature)
            self.signatures.append(re.sub(r"\{Show \d+ \w+ ", "{ ", signature))
            self.text = None
        if self.skipped == self.depth:
            self.skipped = 0
        self.depth -= 1

    def handle_data(self, data):
        if self.text is not None:
            self.text.append(data)


def surface(folder):
    lines = set()
    for page in folder.rglob("*.html"):
        place = page.relative_to(folder)
        kind, _, name = place.stem.partition(".")
        if not name or "!" in name or place.parts[0] == "guide":
            continue
        parser = Signatures()
        parser.feed(page.read_text(encoding="utf-8"))
        path = "::".join([*place.parts[:-1], name])
        signatures = parser.signatures
        if kind != "trait":
            # What an implementation of a trait has is said by the trait.
            signatures = filter(OWN.match, signatures)
        lines.update(f"{path}: {signature}" for signature in signatures)
    return sorted(lines)


def main():
    arguments = sys.argv[1:]
    if len(arguments) not in (1, 3) or (len(arguments) == 3 and arguments[1] != "--check"):
        sys.exit(__doc__)
    found = surface(pathlib.Path(arguments[0]))
    if not found:
        sys.exit(f"{arguments[0]}: no pages of a crate")
    if len(arguments) == 1:
        print("\n".join(found))
        return
    expected = pathlib.Path(arguments[2]).read_text(encoding="utf-8").splitlines()
    names = ("the list", "the crate")
    changes = list(difflib.unified_diff(expected, found, *names, lineterm="", n=0))
    if changes:
        print("\n".join(changes))
        sys.exit("the public surface has changed: list it anew, so that the change can be reviewed")


if __name__ == "__main__":
    main()

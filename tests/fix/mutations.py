"""Programs that say the same in other words: each mutation takes a text and a random generator and returns another text.

A mutation that makes no sense for a text returns it unchanged, or something that no longer parses, which callers drop.
"""

import io
import re
import tokenize


def tokens_of(text):
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def lines_in_strings(text):
    """Numbers of the lines, from 0, that begin inside a string or behind a backslash or in brackets."""
    inside = set()
    for token in tokens_of(text):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0], token.end[0]))
    return inside


def logical_lines(text):
    """(first line, last line) from 0 of each logical line that is no compound statement's header, and its text."""
    lines = text.split("\n")
    found, start = [], None
    for token in tokens_of(text):
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        if token.type == tokenize.NEWLINE:
            found.append((start, token.start[0] - 1))
            start = None
        elif start is None:
            start = token.start[0] - 1
    return [(a, b) for a, b in found if not re.match(r"\s*(async |@|def |class |if |elif |else|for |while |with |try|"
                                                     r"except|finally|match |case )", lines[a])]


def indentation(text, random):
    unit = random.choice(["  ", "   ", "\t", "        ", " \t"[:1]])
    inside = lines_in_strings(text)
    lines = text.split("\n")
    widths = [0]
    for token in tokens_of(text):
        if token.type == tokenize.INDENT:
            width = len(token.string.expandtabs(8))
            if width not in widths:
                widths.append(width)
    for number, line in enumerate(lines):
        if number in inside or not line.strip():
            continue
        width = len(line[: len(line) - len(line.lstrip())].expandtabs(8))
        levels = sum(1 for known in sorted(widths) if known <= width) - 1
        rest = width - max(known for known in widths if known <= width)
        lines[number] = unit * levels + " " * rest + line.lstrip()
    return "\n".join(lines)


def comments(text, random):
    inside = lines_in_strings(text)
    result = []
    for number, line in enumerate(text.split("\n")):
        is_free = number not in inside and number + 1 not in inside and not line.endswith("\\")
        if is_free and random.random() < 0.1:
            result.append(" " * random.randrange(0, 9) + "# über: \"\"\" ; with torch.no_grad():")
        if is_free and line.strip() and "#" not in line and random.random() < 0.15:
            line += "  # note: = ('"
        result.append(line)
    return "\n".join(result)


def blank_lines(text, random):
    inside = lines_in_strings(text)
    result = []
    for number, line in enumerate(text.split("\n")):
        if number not in inside and not (result and result[-1].endswith("\\")) and random.random() < 0.1:
            result.append(random.choice(["", "   ", "\t"]))
        result.append(line)
    return "\n".join(result)


def multi_line_strings(text, random):
    lines = text.split("\n")
    for first, _ in reversed(logical_lines(text)):
        if random.random() < 0.25:
            indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
            quote = random.choice(["'''", '"""', 'f"""', "rb'''"])
            lines.insert(first, f"{indent}_ = {quote}one\n  two\n\t\tthree{{}}'\n\n".replace("{}", "") + quote[-3:])
    return "\n".join(lines)


def continuations(text, random):
    lines = text.split("\n")
    for first, last in reversed(logical_lines(text)):
        line = lines[first]
        if first != last or random.random() > 0.4 or "#" in line:
            continue
        if " = " in line and line.count("=") == 1:
            left, right = line.split(" = ")
            lines[first] = random.choice([f"{left} = \\\n{right}", f"{left} = (\n{right}\n)", f"{left} = (  # so\n  {right})"])
    return "\n".join(lines)


def semicolons(text, random):
    lines = text.split("\n")
    simple = logical_lines(text)
    for first, last in reversed(simple):
        if first != last or random.random() > 0.3 or "#" in lines[first]:
            continue
        follows = [(a, b) for a, b in simple if a == first + 1 == b]
        indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
        same = follows and lines[first + 1].startswith(indent) and not lines[first + 1][len(indent):].startswith((" ", "\t"))
        if same and not re.match(r"\s*(import|from)\b", lines[first]) and random.random() < 0.6:
            lines[first] += random.choice(["; ", ";", " ;  "]) + lines.pop(first + 1).lstrip()
        else:
            lines[first] += ";"
    return "\n".join(lines)


def one_line_bodies(text, random):
    lines = text.split("\n")
    simple = {a for a, b in logical_lines(text) if a == b}
    for number in range(len(lines) - 2, -1, -1):
        header = re.match(r"(\s*)(if|for|while|else|def|with)\b.*:$", lines[number])
        if not header or number + 1 not in simple or random.random() > 0.6:
            continue
        indent = header.group(1)
        after = lines[number + 2] if number + 2 < len(lines) else ""
        deeper = after.startswith((indent + " ", indent + "\t")) and after.strip()
        if not deeper and "#" not in lines[number]:
            lines[number] += " " + lines.pop(number + 1).lstrip()
    return "\n".join(lines)


def decorators(text, random):
    lines = text.split("\n")
    inside = lines_in_strings(text)
    for number in range(len(lines) - 1, -1, -1):
        definition = re.match(r"(\s*)(async )?def ", lines[number])
        if definition and number not in inside and random.random() < 0.5:
            lines[number:number] = [definition.group(1) + "@_same(1,", "       2)", definition.group(1) + "# in between"]
    helper = ["def _same(*_):", "    return lambda f: f", "", ""]
    at = next((n for n, line in enumerate(lines) if re.match(r"(def|class|@|for|if|with|while)\b", line)), len(lines))
    while at > 0 and lines[at - 1].startswith("#"):
        at -= 1
    return "\n".join(lines[:at] + helper + lines[at:])


def nesting(text, random):
    """Everything behind the imports one block deeper."""
    lines = text.split("\n")
    inside = lines_in_strings(text)
    imports = [b for a, b in logical_lines(text) if re.match(r"(import|from)\b", lines[a])]
    at = max(imports, default=-1) + 1
    if any(line.startswith("from __future__") for line in lines[at:]):
        return text
    header = random.choice(["if True:", "try:", "for _once in range(1):", "while True:"])
    body = [line if n + at in inside or not line.strip() else "    " + line for n, line in enumerate(lines[at:])]
    tail = {"try:": ["finally:", "    pass"], "while True:": ["    break"]}.get(header, [])
    return "\n".join(lines[:at] + [header] + body + tail) + "\n"


def docstrings(text, random):
    lines = text.split("\n")
    inside = lines_in_strings(text)
    for number in range(len(lines) - 1, -1, -1):
        definition = re.match(r"(\s*)(async )?def .*:$", lines[number])
        if definition and number not in inside and random.random() < 0.6 and number + 1 < len(lines):
            following = lines[number + 1]
            indent = following[: len(following) - len(following.lstrip())]
            if len(indent) > len(definition.group(1)):
                lines.insert(number + 1, indent + '"""What it does.\n\nAt the margin.\n' + indent + '"""')
    return "\n".join(lines)


def head(text, random):
    parts = []
    if random.random() < 0.5:
        parts.append("#!/usr/bin/env python3")
    if random.random() < 0.5:
        parts.append("# -*- coding: utf-8 -*-")
    if random.random() < 0.5:
        parts.append("# Copyright ©\n#\n")
    if random.random() < 0.6:
        parts.append(random.choice(['"""The module\'s text."""', "'''One\n\ntwo\n'''\n"]))
    if random.random() < 0.4:
        parts.append("from __future__ import annotations")
    return "\n".join(parts + [text])


def torch_names(text, random):
    if not re.search(r"^import torch$", text, re.M):
        return text
    choice = random.randrange(4)
    if choice == 0:
        return re.sub(r"\btorch\.", "th.", text).replace("import torch\n", "import torch as th\n", 1).replace("from th.", "from torch.")
    if choice == 1:
        return text.replace("import torch\n", "try:\n    import torch\nexcept ImportError:\n    torch = None\n", 1)
    if choice == 2:
        return text.replace("import torch\n", "import os, torch, sys  # several\n", 1)
    names = sorted(set(re.findall(r"\btorch\.(\w+)", re.sub(r"^(from|import) .*$", "", text, flags=re.M))))
    if not names:
        return text
    text = re.sub(r"(?<!from )\btorch\.(\w+)", r"\1", text)
    return text.replace("import torch\n", f"from torch import ({', '.join(names)},\n    no_grad)\n", 1)


def unicode_names(text, random):
    for name in ("model", "net", "x"):
        text = re.sub(rf"\b{name}\b(?!=)", name + "_ñ", text) if random.random() < 0.5 else text
    return text


PYTHON = [indentation, comments, blank_lines, multi_line_strings, continuations, semicolons, one_line_bodies, decorators,
          nesting, docstrings, head, torch_names, unicode_names]


def cpp_comments(text, random):
    result = []
    for line in text.split("\n"):
        if line.endswith("\\"):
            result.append(line)
            continue
        if random.random() < 0.1:
            result.append("  " * random.randrange(4) + random.choice(["// {", "/* } ; */", "// ünï \"'"]))
        if line.strip() and not line.lstrip().startswith("#") and random.random() < 0.15:
            line += random.choice(["  // } x", "  /* ; { */"])
        result.append(line)
    return "\n".join(result)


def cpp_braces(text, random):
    result = []
    for line in text.split("\n"):
        if re.match(r"\s*(static |int |void |float |torch::Tensor |for |if |class ).*\{$", line) and random.random() < 0.7:
            indent = line[: len(line) - len(line.lstrip())]
            result += [line[:-1].rstrip(), indent + "{"]
        else:
            result.append(line)
    return "\n".join(result)


def cpp_tabs(text, random):
    unit = random.choice(["\t", "    ", "   "])
    return re.sub(r"^(  )+", lambda found: unit * (len(found.group()) // 2), text, flags=re.M)


def cpp_names(text, random):
    """Locals that are called what a guard would be called."""
    return re.sub(r"^(int main\(.*\) \{)$", r"\1\n  int guard = 0, no_grad_ = guard;\n  (void)no_grad_;", text, flags=re.M)


def cpp_raw_strings(text, random):
    return re.sub(r"^(int main\(.*\) \{)$", "\\1\n  const char* raw = R\"x(}\n { \")\n)x\";\n  (void)raw;", text, flags=re.M)


def cpp_directives(text, random):
    return re.sub(r"^(int main\(.*\) \{)$", r"\1\n#ifdef NEVER\n  return 1;\n#endif", text, flags=re.M)


def cpp_joined(text, random):
    """Short bodies on one line."""
    return re.sub(r"\{\n\s*([^\n{}#/]*;)\n\s*\}", r"{ \1 }", text)


CPP = [cpp_comments, cpp_braces, cpp_tabs, cpp_names, cpp_raw_strings, cpp_directives, cpp_joined]


def encoded(text, random, is_python):
    """Bytes with other line ends, a mark, another encoding or without a last line end."""
    data = text.encode()
    choice = random.random()
    if is_python and choice < 0.1 and "coding" not in text[:200]:
        try:
            return ("# coding: latin-1\n" + text).encode("latin-1")
        except UnicodeEncodeError:
            pass
    if choice < 0.35:
        data = data.replace(b"\n", b"\r\n")
    elif is_python and choice < 0.4:
        data = data.replace(b"\n", b"\r")
    if random.random() < 0.2:
        data = b"\xef\xbb\xbf" + data
    if random.random() < 0.2:
        data = data.rstrip(b"\r\n")
    return data

a = "x" 'y' r"\n"
b = b"x"
c = f"{p} {q:>{w}.2f} {r!r}" "tail"
d = f"plain"

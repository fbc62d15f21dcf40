"""Names for C: none that C keeps for itself, and no two things with one name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

LIMIT = 63
"""Initial characters by which identifiers must differ: C99, section 5.2.4.1."""

_C = """auto break case char const continue default do double else enum extern float for goto if
inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while alignas alignof bool constexpr false nullptr static_assert thread_local
true typeof typeof_unqual"""
_CPP = """and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return
co_yield compl concept const_cast consteval constinit decltype delete dynamic_cast explicit export
friend mutable namespace new noexcept not not_eq operator or or_eq private protected public
reinterpret_cast requires static_cast template this throw try typeid typename using virtual wchar_t
xor xor_eq"""
_MATH = """complex I imaginary INFINITY NAN OVERFLOW UNDERFLOW DOMAIN SING PLOSS TLOSS REAL_PART
sin cos sqrt atan2 sinf cosf sqrtf atan2f errno linux unix i386"""

_HEADERS_C = """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
signal stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn
string tgmath threads time uchar wchar wctype"""
_HEADERS_POSIX = """aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen
libintl monetary mqueue ndbm netdb nl_types poll pthread pwd regex sched search semaphore spawn
strings stropts syslog tar termios trace ulimit unistd utime utmpx wordexp"""

HEADERS = frozenset(f"{_HEADERS_C} {_HEADERS_POSIX}".split())
"""What no module may be called, in any case: its header would hide one of the system's, of C23 or
POSIX, from whoever searches its folder."""

RESERVED = frozenset(f"{_C} {_CPP} {_MATH}".split())
"""What no parameter may be called: keywords, names of headers, what compilers predefine."""


class Names:
    """Identifiers given out so far, none of them twice."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def take(self, wanted: str, limit: int = LIMIT) -> str:
        """``wanted`` itself, or shortened to ``limit`` characters, or with a number behind."""
        name, number = _shortened(wanted, limit), 1
        while name in self._taken:
            number += 1
            suffix = f"_{number}"
            name = _shortened(wanted, limit - len(suffix)) + suffix
        self._taken.add(name)
        return name


def _shortened(name: str, limit: int) -> str:
    """Within the limit; what is cut off lives on in eight digits of its hash."""
    if len(name) <= limit:
        return name
    return f"{name[: limit - 9]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"

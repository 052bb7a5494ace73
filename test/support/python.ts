/** Debian's modules belong to Debian's Python. Another Python may come first in PATH. */
export const PYTHON = '/usr/bin/python3';

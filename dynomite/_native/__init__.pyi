"""
Native stores and engines of dynomite; the public faces are the Python packages.
"""

from dynomite._native import (
    aig as aig,
    algebra as algebra,
    base as base,
    bdd as bdd,
    cnf as cnf,
    dividers as dividers,
    explain as explain,
    hw as hw,
    io as io,
    ir as ir,
    map as map,
    opt as opt,
    passes as passes,
    rewrite as rewrite,
    seq as seq,
    sim as sim,
    smt as smt,
    sweep as sweep,
    witness as witness,
    word as word,
    word_net as word_net
)

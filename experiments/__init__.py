"""Floor 7: the published experiments, repeated: each module runs one and prints it beside the published figures.

===================================================  ==================================================================
``python -m consortium.experiments.``                repeats
===================================================  ==================================================================
``section_3_5``                                      Cordeiro 2012, section 3.5: heuristics on random federations
``section_6_3 LOG``                                  Cordeiro 2012, section 6.3: fairness among the users of a log
``proved_claims``                                    Agmon 2003: what is proved of the rules for all lengths
``unfairness_tables FOLDER``                         Skowron & Rzadca 2013, tables 1 and 2, from the stores of audits
===================================================  ==================================================================

Each has functions that compute, functions that make tables, and ``main(arguments)``, which returns the exit code.
"""

"""Floor 7: the published experiments, repeated: each module runs one and prints it beside the published figures.

``python -m consortium.experiments.section_3_5`` (Cordeiro 2012, section 3.5), ``section_6_3`` (section 6.3) and
``unfairness_tables`` (the tables of the fair scheduling papers, from the stores of audits).
"""

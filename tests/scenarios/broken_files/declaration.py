# ruff: noqa: E501
"""Broken files of kind declaration, as text: what differs from a valid file, and every message to the letter."""

from __future__ import annotations

BLOCKS = {
    "head": 'format = 1\nkind = "declaration"\n',
    "cluster": '[cluster]\npowers = [1, "3/2"]\n',
    "agents": '[[agents]]\nname = "ann"\nlength = 1\n[[agents]]\nname = "bob"\nlength = 2\n',
    "mechanism": '[mechanism]\nrule = "evcg-postpone"\n',
    "welfare": "",
    "domain": "",
    "expect": "",
}

# name, blocks that differ from a valid file, messages
CASES: list[tuple[str, dict[str, str], *tuple[str, ...]]] = [
    (
        "no format",
        {"head": 'kind = "declaration"\n'},
        "format: found nothing; expected 1, the version of the scenario format",
    ),
    (
        "wrong format",
        {"head": 'format = 2\nkind = "declaration"\n'},
        "format: found 2; expected 1, the version of the scenario format",
    ),
    (
        "format as text",
        {"head": 'format = "1"\nkind = "declaration"\n'},
        "format: found '1'; expected 1, the version of the scenario format",
    ),
    (
        "no kind",
        {"head": "format = 1\n"},
        "kind: found nothing; expected one of declaration, federation, sharing, multiuser",
    ),
    (
        "misspelt kind",
        {"head": 'format = 1\nkind = "declarations"\n'},
        "kind: found 'declarations'; expected one of declaration, federation, sharing, multiuser. Did you mean 'declaration'?",
    ),
    (
        "kind of another type",
        {"head": "format = 1\nkind = 3\n"},
        "kind: found 3; expected one of declaration, federation, sharing, multiuser",
    ),
    (
        "unknown top-level key",
        {"head": 'format = 1\nkind = "declaration"\ntitel = "x"\n'},
        "titel: found an unknown key; expected one of format, kind, title, source, seed, cluster, agents, mechanism, welfare, domain, prior, expect. Did you mean 'title'?",
    ),
    (
        "title of another type",
        {"head": 'format = 1\nkind = "declaration"\ntitle = 7\n'},
        "title: found 7; expected a text",
    ),
    (
        "negative seed",
        {"head": 'format = 1\nkind = "declaration"\nseed = -1\n'},
        "seed: found -1; expected an integer from 0 to 9223372036854775807",
    ),
    (
        "seed as text",
        {"head": 'format = 1\nkind = "declaration"\nseed = "1"\n'},
        "seed: found '1'; expected an integer from 0 to 9223372036854775807",
    ),
    ("no cluster", {"cluster": ""}, "cluster: found nothing; expected a table"),
    (
        "empty cluster",
        {"cluster": "[cluster]\npowers = []\n"},
        "cluster.powers: found []; expected a list of at least 1",
    ),
    ("powers no list", {"cluster": "[cluster]\npowers = 1\n"}, "cluster.powers: found 1; expected a list"),
    (
        "a power of zero and a negative one",
        {"cluster": "[cluster]\npowers = [0, 1, -2]\n"},
        "cluster.powers[1]: found 0; expected a number > 0",
        "cluster.powers[3]: found -2; expected a number > 0",
    ),
    (
        "a power that is no number",
        {"cluster": '[cluster]\npowers = ["fast"]\n'},
        "cluster.powers[1]: found 'fast'; expected a number > 0",
    ),
    (
        "zero denominator",
        {"cluster": '[cluster]\npowers = ["1/0"]\n'},
        "cluster.powers[1]: found '1/0'; expected a number > 0; the denominator is zero",
    ),
    ("inf", {"cluster": "[cluster]\npowers = [inf]\n"}, "cluster.powers[1]: found inf; expected a number > 0"),
    ("nan", {"cluster": "[cluster]\npowers = [nan]\n"}, "cluster.powers[1]: found nan; expected a number > 0"),
    (
        "huge exponent",
        {"cluster": "[cluster]\npowers = [1e10000000]\n"},
        "cluster.powers[1]: found 1E+10000000; expected a number of at most 1,000 digits and an exponent within +-1,000",
    ),
    (
        "huge exponent as text",
        {"cluster": '[cluster]\npowers = ["1e10000000"]\n'},
        "cluster.powers[1]: found '1e10000000'; expected a number of at most 1,000 digits and an exponent within +-1,000",
    ),
    (
        "5,000 digits",
        {"cluster": "[cluster]\npowers = [" + "9" * 5000 + "]\n"},
        "line 4: found a number of 5,000 characters; expected at most 1,000 digits",
    ),
    (
        "5,000 digits as text",
        {"cluster": '[cluster]\npowers = ["' + "9" * 5000 + '"]\n'},
        "cluster.powers[1]: found '99999999999999999999999999999999999999999999999999999999...; expected a number of at most 1,000 digits and an exponent within +-1,000",
    ),
    (
        "1,050 digits",
        {"cluster": "[cluster]\npowers = [" + "9" * 1050 + "]\n"},
        "cluster.powers[1]: found an integer of about 1051 digits; expected a number of at most 1,000 digits",
    ),
    (
        "unknown key in cluster",
        {"cluster": "[cluster]\npowers = [1]\npower = 2\n"},
        "cluster.power: found an unknown key; expected one of powers. Did you mean 'powers'?",
    ),
    ("no agents", {"agents": ""}, "agents: found nothing; expected at least one [[agents]] table"),
    (
        "agents as one table",
        {"agents": "[agents]\nlength = 1\n"},
        "agents: found a table; expected at least one [[agents]] table",
    ),
    (
        "an agent without length",
        {"agents": '[[agents]]\nname = "ann"\n'},
        "agents[1].length: found nothing; expected this required key (private length of the job)",
    ),
    (
        "lengths out of range",
        {"agents": "[[agents]]\nlength = 0\n[[agents]]\nlength = -1\n[[agents]]\nlength = true\n"},
        "agents[1].length: found 0; expected a number > 0",
        "agents[2].length: found -1; expected a number > 0",
        "agents[3].length: found true; expected a number > 0",
    ),
    (
        "misspelt key of an agent",
        {"agents": "[[agents]]\nlenght = 1\n"},
        "agents[1].lenght: found an unknown key; expected one of name, length, declares, strategy, value. Did you mean 'length'?",
    ),
    (
        "two agents of one name",
        {"agents": '[[agents]]\nname = "ann"\nlength = 1\n[[agents]]\nname = "ann"\nlength = 2\n'},
        "agents[2].name: found 'ann'; expected a name of its own (agents[1] has it already)",
    ),
    (
        "a name that the default takes",
        {"agents": '[[agents]]\nname = "a2"\nlength = 1\n[[agents]]\nlength = 2\n'},
        "agents[2].name: found 'a2'; expected a name of its own (agents[1] has it already)",
    ),
    (
        "empty name",
        {"agents": '[[agents]]\nname = ""\nlength = 1\n'},
        "agents[1].name: found ''; expected a non-empty text of one line, at most 200 characters",
    ),
    (
        "declares and strategy",
        {"agents": '[[agents]]\nlength = 1\ndeclares = 2\nstrategy = "truthful"\n'},
        "agents[1].strategy: found 'truthful'; expected declares or strategy, not both",
    ),
    (
        "misspelt strategy",
        {"agents": '[[agents]]\nlength = 1\nstrategy = "truthfull"\n'},
        "agents[1].strategy: found 'truthfull'; expected 'truthful', 'best-reply' or { scale = NUMBER }. Did you mean 'truthful'?",
    ),
    (
        "scale of zero",
        {"agents": "[[agents]]\nlength = 1\nstrategy = { scale = 0 }\n"},
        "agents[1].strategy: found a table; expected { scale = NUMBER } with a number > 0",
    ),
    (
        "scale and more",
        {"agents": "[[agents]]\nlength = 1\nstrategy = { scale = 2, by = 1 }\n"},
        "agents[1].strategy: found a table; expected 'truthful', 'best-reply' or { scale = NUMBER }",
    ),
    ("no mechanism", {"mechanism": ""}, "mechanism: found nothing; expected a table"),
    (
        "no rule",
        {"mechanism": "[mechanism]\n"},
        "mechanism.rule: found nothing; expected this required key (name of the rule)",
    ),
    (
        "misspelt rule",
        {"mechanism": '[mechanism]\nrule = "vcg-renise"\n'},
        "mechanism.rule: found 'vcg-renise'; expected one of straightforward, light-vcg, harsh, vcg-renice, vcg-postpone, evcg-renice, evcg-postpone, postpone-unpaid, verified, verified-printed, shapley-share, equal-share, full-time, bystander, designed. Did you mean 'vcg-renice'?",
    ),
    (
        "penalty for a rule without",
        {"mechanism": '[mechanism]\nrule = "harsh"\npenalty = "safe"\n'},
        "mechanism.penalty: found 'safe'; expected no other key besides rule = 'harsh'",
    ),
    (
        "cutoff for renice",
        {"mechanism": '[mechanism]\nrule = "vcg-renice"\ncutoff = { difference = 1 }\n'},
        "mechanism.cutoff: found a table; expected only holdback, penalty, rounds besides rule = 'vcg-renice'",
    ),
    (
        "rounds for harsh",
        {"mechanism": '[mechanism]\nrule = "harsh"\nrounds = 2\n'},
        "mechanism.rounds: found 2; expected no other key besides rule = 'harsh'",
    ),
    (
        "three rounds",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\nrounds = 3\n'},
        "mechanism.rounds: found 3; expected an integer from 1 to 2",
    ),
    (
        "misspelt holdback",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\nrounds = 2\nholdback = "repared"\n'},
        "mechanism.holdback: found 'repared'; expected one of repaired, printed. Did you mean 'repaired'?",
    ),
    (
        "penalty of the other family",
        {"mechanism": '[mechanism]\nrule = "evcg-renice"\npenalty = "exact"\n'},
        "mechanism.penalty: found 'exact'; expected with rule = 'evcg-renice' one of repaired, repaired-common, printed, printed-common, safe",
    ),
    (
        "misspelt penalty",
        {"mechanism": '[mechanism]\nrule = "evcg-renice"\npenalty = "repared"\n'},
        "mechanism.penalty: found 'repared'; expected one of exact, printed, printed-absolute, printed-common, repaired, repaired-common, safe, static-end, tight, a number, a list of numbers, or an expression. Did you mean 'repaired'?",
    ),
    (
        "share above one",
        {"mechanism": '[mechanism]\nrule = "evcg-renice"\npenalty = 2\n'},
        "mechanism.penalty: found 2; expected shares > 0 and <= 1",
    ),
    (
        "too few penalties",
        {"mechanism": '[mechanism]\nrule = "evcg-renice"\npenalty = [1]\n'},
        "mechanism.penalty: found [1]; expected one number per agent, 2 in all",
    ),
    (
        "printed without cutoff",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\npenalty = "printed"\n'},
        "mechanism.cutoff: found nothing; expected { difference = NUMBER }, which penalty = 'printed' needs",
    ),
    (
        "printed-absolute with the other cutoff",
        {
            "mechanism": '[mechanism]\nrule = "evcg-postpone"\npenalty = "printed-absolute"\ncutoff = { difference = 1 }\n'
        },
        "mechanism.cutoff: found 'difference'; expected { absolute = NUMBER }, which penalty = 'printed-absolute' needs",
    ),
    (
        "two cutoffs",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\ncutoff = { difference = 1, absolute = 9 }\n'},
        "mechanism.cutoff: found a table; expected { difference = NUMBER } or { absolute = NUMBER } with a number > 0",
    ),
    (
        "absolute cutoff below the largest declaration of the domain",
        {
            "mechanism": '[mechanism]\nrule = "evcg-postpone"\ncutoff = { absolute = 4 }\n',
            "domain": "[domain]\ndeclarations = [1, 5]\nlengths = [1, 2]\n",
        },
        "mechanism.cutoff: found 4; expected an absolute cut-off of at least every declaration of [domain], 5",
    ),
    (
        "absolute cutoff below a declaration",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\ncutoff = { absolute = "3/2" }\n'},
        "mechanism.cutoff: found 3/2; expected an absolute cut-off of at least every declaration (agents[2] declares 2)",
    ),
    (
        "static-end for another goal",
        {
            "mechanism": '[mechanism]\nrule = "evcg-postpone"\npenalty = "static-end"\n',
            "welfare": '[welfare]\ngoal = "makespan"\n',
        },
        "mechanism.penalty: found 'static-end'; expected goal = 'sum', the only goal for which 'static-end' is enough",
    ),
    (
        "vcg for another goal",
        {"mechanism": '[mechanism]\nrule = "vcg-postpone"\n', "welfare": '[welfare]\ngoal = "makespan"\n'},
        "welfare.goal: found 'makespan'; expected 'sum', the only goal of rule = 'vcg-postpone'; evcg-* take any goal",
    ),
    (
        "misspelt goal",
        {"welfare": '[welfare]\ngoal = "makspan"\n'},
        "welfare.goal: found 'makspan'; expected one of sum, makespan, lexical-max, weighted-sum, weighted-makespan, squared-deviation, expression. Did you mean 'makespan'?",
    ),
    (
        "order without makespan",
        {"welfare": '[welfare]\ngoal = "sum"\norder = 2\n'},
        "welfare.order: found 2; expected only ties besides goal = 'sum'",
    ),
    (
        "order beyond the agents",
        {"welfare": '[welfare]\ngoal = "makespan"\norder = 3\n'},
        "welfare.order: found 3; expected an integer from 1 to the number of agents, 2",
    ),
    (
        "no weights",
        {"welfare": '[welfare]\ngoal = "weighted-sum"\n'},
        "welfare.weights: found nothing; expected this key, which goal = 'weighted-sum' needs",
    ),
    (
        "weights of a stranger",
        {"welfare": '[welfare]\ngoal = "weighted-sum"\nweights = { ann = 1, bbo = 2 }\n'},
        "welfare.weights.bbo: found 'bbo'; expected an agent: ann, bob. Did you mean 'bob'?",
        "welfare.weights.bob: found nothing; expected a weight for every agent",
    ),
    (
        "negative weight",
        {"welfare": '[welfare]\ngoal = "weighted-sum"\nweights = { ann = 1, bob = -2 }\n'},
        "welfare.weights.bob: found -2; expected a number >= 0",
    ),
    (
        "no target",
        {"welfare": '[welfare]\ngoal = "squared-deviation"\n'},
        "welfare.target: found nothing; expected this key, which goal = 'squared-deviation' needs",
    ),
    (
        "code in an expression",
        {"welfare": '[welfare]\ngoal = "expression"\nexpression = "__import__(1)"\n'},
        "welfare.expression: found '__import__(1)'; expected an arithmetic expression in the agents' names (expression, column 1: '__import__' is not known; known: abs, ann, bob, max, min.)",
    ),
    (
        "attribute in an expression",
        {"welfare": '[welfare]\ngoal = "expression"\nexpression = "ann.real"\n'},
        "welfare.expression: found 'ann.real'; expected an arithmetic expression in the agents' names (expression, column 4: found '.'; expected an operator or the end)",
    ),
    (
        "huge power in an expression",
        {"welfare": '[welfare]\ngoal = "expression"\nexpression = "ann**99"\n'},
        "welfare.expression: found 'ann**99'; expected an arithmetic expression in the agents' names (expression, column 6: found '99'; expected one of the digits 0 to 9 as the exponent)",
    ),
    (
        "misspelt ties",
        {"welfare": '[welfare]\nties = "list"\n'},
        "welfare.ties: found 'list'; expected one of sum, listed. Did you mean 'listed'?",
    ),
    (
        "empty domain list",
        {"domain": "[domain]\nlengths = []\n"},
        "domain.lengths: found []; expected a list of at least one number > 0",
    ),
    (
        "zero in the domain",
        {"domain": "[domain]\nlengths = [0, 1]\n"},
        "domain.lengths[1]: found 0; expected a number > 0",
    ),
    (
        "a stranger in the domain",
        {"domain": "[domain]\nlengths = { anne = [1] }\n"},
        "domain.lengths.anne: found 'anne'; expected an agent: ann, bob. Did you mean 'ann'?",
    ),
    (
        "a set of lengths misspelt",
        {"domain": '[domain]\nlengths = "postive"\n'},
        "domain.lengths: found 'postive'; expected a list of numbers > 0, a table of such lists by agent, 'positive', or { from = NUMBER, to = NUMBER }. Did you mean 'positive'?",
    ),
    (
        "an interval that ends where it begins",
        {"domain": "[domain]\nlengths = { from = 3, to = 3 }\n"},
        "domain.lengths.to: found 3; expected a number above from, 3",
    ),
    (
        "an interval below zero",
        {"domain": "[domain]\nlengths = { from = -1, to = 0 }\n"},
        "domain.lengths.from: found -1; expected a number >= 0",
        "domain.lengths.to: found 0; expected a number > 0",
    ),
    (
        "declarations beside a set of lengths",
        {"domain": '[domain]\nlengths = "positive"\ndeclarations = [1]\n'},
        "domain.declarations: found [1]; expected nothing: declarations are over the same set as such lengths",
    ),
    (
        "domain no table",
        {"head": 'format = 1\nkind = "declaration"\ndomain = 3\n'},
        "domain: found 3; expected a table",
    ),
    (
        "unknown verb in expect",
        {"expect": "[expect.serch]\nx = 1\n"},
        "expect.serch: found a table; expected one of run, search, verify, prove, design, compare, curve. Did you mean 'search'?",
    ),
    (
        "nan in expect",
        {"expect": "[expect.run]\nrent = nan\n"},
        "expect.run.rent: found nan; expected an integer, a decimal or a quoted fraction such as '3/2'",
    ),
    (
        "not TOML",
        {"head": "format = \n"},
        "line 1: found 'format =' (Invalid value at column 10); expected valid TOML 1.0",
    ),
    (
        "a fraction without quotes",
        {"expect": "[expect.run]\nrent = -4/3  # mine\n"},
        "line 14: found 'rent = -4/3  # mine'; expected fractions in quotes, \"-4/3\"",
    ),
    (
        "a truth value as tables show it",
        {"expect": "[expect.verify]\nex_post.holds = no\n"},
        "line 14: found 'ex_post.holds = no' (Invalid value at column 17); expected valid TOML 1.0: true or false, or "
        'text in quotes, "no"',
    ),
    (
        "a question that was not answered",
        {"head": "format = 1\nkind = ?\n"},
        "line 2: found 'kind = ?'; expected an answer in the place of the question mark",
    ),
    (
        "a key twice",
        {"head": 'format = 1\nformat = 1\nkind = "declaration"\n'},
        "line 2: found 'format = 1' (Cannot overwrite a value at column 11); expected valid TOML 1.0",
    ),
    (
        "three mistakes in three blocks",
        {
            "cluster": "[cluster]\npowers = [0]\n",
            "mechanism": '[mechanism]\nrule = "hash"\n',
            "welfare": '[welfare]\ngoal = "som"\n',
        },
        "cluster.powers[1]: found 0; expected a number > 0",
        "mechanism.rule: found 'hash'; expected one of straightforward, light-vcg, harsh, vcg-renice, vcg-postpone, evcg-renice, evcg-postpone, postpone-unpaid, verified, verified-printed, shapley-share, equal-share, full-time, bystander, designed. Did you mean 'harsh'?",
        "welfare.goal: found 'som'; expected one of sum, makespan, lexical-max, weighted-sum, weighted-makespan, squared-deviation, expression. Did you mean 'sum'?",
    ),
    (
        "designed without a price",
        {"mechanism": '[mechanism]\nrule = "designed"\n'},
        "mechanism.price: found nothing; expected an expression, or table",
    ),
    (
        "price and table",
        {
            "mechanism": '[mechanism]\nrule = "designed"\nprice = "S"\n[[mechanism.table]]\n'
            "declarations = { ann = 1, bob = 2 }\npayments = { ann = 0, bob = 0 }\n"
        },
        "mechanism.table: found a list of 1; expected price or table, not both",
    ),
    (
        "price that is not piecewise linear, of an unknown tool",
        {"mechanism": '[mechanism]\nrule = "designed"\ntool = "run"\nprice = "S*E"\n'},
        "mechanism.tool: found 'run'; expected one of postpone, run-on, renice, bare, kill, order-only. Did you mean 'run-on'?",
        "mechanism.price: found 'S*E'; expected a piecewise-linear expression in S, W, E, own, all and other(k) (column 2: found a product of two quantities; expected multiples by numbers, so that it is piecewise linear)",
    ),
    (
        "penalty and cut-off that the tool does not take",
        {"mechanism": '[mechanism]\nrule = "equal-share"\ntool = "run-on"\npenalty = 1\ncutoff = { difference = 1 }\n'},
        "mechanism.penalty: found 1; expected no penalty with tool = 'run-on'",
        "mechanism.cutoff: found a table; expected no cut-off with tool = 'run-on'",
    ),
    (
        "tool that a rule has not, penalty of another",
        {"mechanism": '[mechanism]\nrule = "shapley-share"\ntool = "kill"\n'},
        "mechanism.tool: found 'kill'; expected one of postpone, run-on, renice",
    ),
    (
        "penalty of another tool",
        {"mechanism": '[mechanism]\nrule = "designed"\nprice = "S"\ntool = "renice"\npenalty = "exact"\n'},
        "mechanism.penalty: found 'exact'; expected with tool = 'renice' one of repaired, repaired-common, printed, printed-common, safe",
    ),
    (
        "expressions as penalties",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\npenalty = "S*own + 1"\n'},
        "mechanism.penalty: found 'S*own + 1'; expected a name, numbers, or a piecewise-linear expression in S, W, E, own, all and other(k) (column 2: found a product of two quantities; expected multiples by numbers, so that it is piecewise linear)",
    ),
    (
        "an expression as penalty of two rounds",
        {"mechanism": '[mechanism]\nrule = "evcg-postpone"\nrounds = 2\npenalty = "own - all"\n'},
        "mechanism.rounds: found 2; expected 1 with an expression as penalty",
    ),
    (
        "rows without somebody, and of somebody else",
        {
            "mechanism": '[mechanism]\nrule = "designed"\n[[mechanism.table]]\n'
            "declarations = { ann = 1 }\npayments = { ann = 0, bo = 0 }\n"
        },
        "mechanism.table[1].declarations.bob: found nothing; expected a number for every agent",
        "mechanism.table[1].payments.bo: found 'bo'; expected an agent: ann, bob. Did you mean 'bob'?",
        "mechanism.table[1].payments.bob: found nothing; expected a number for every agent",
    ),
    (
        "a lottery",
        {
            "mechanism": '[mechanism]\nrule = "designed"\n[[mechanism.table]]\n'
            "declarations = { ann = 1, bob = 1 }\npayments = { ann = 0, bob = 0 }\nlottery = []\n"
        },
        "mechanism.table[1]: found a table; expected a row without lottery: a rule that runs has one allocation for every profile",
    ),
    (
        "an allocation that leaves somebody out",
        {
            "mechanism": '[mechanism]\nrule = "designed"\n[[mechanism.table]]\n'
            'declarations = { ann = 1, bob = 1 }\npayments = { ann = 0, bob = 0 }\nallocation = [["ann"], []]\n'
        },
        "mechanism.table[1].allocation: found [['ann'], []]; expected each machine's agents in order, by name or by number from 1, everybody once",
    ),
    (
        "bystander where it is not defined",
        {"mechanism": '[mechanism]\nrule = "bystander"\n', "welfare": '[welfare]\ngoal = "makespan"\n'},
        "cluster.powers: found [1, 3/2]; expected one machine, for which rule = 'bystander' is defined",
        "agents: found 2 agents; expected at least three with rule = 'bystander'",
        "welfare.goal: found 'makespan'; expected one of sum, weighted-sum, with rule = 'bystander'",
    ),
]


def text(changes: dict[str, str]) -> str:
    return "".join({**BLOCKS, **changes}.values())

"""A kind of scenario as another distribution brings it: cars that cross a river. Installed by ``test_own_kind.py``."""

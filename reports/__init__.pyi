from .figures import figure_of as figure_of
from .figures import save as save
from .figures import save_record as save_record
from .tables import Table as Table
from .tables import tables_of as tables_of
from .tables import text as text

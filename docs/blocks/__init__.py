"""What stands between the markers of the pages, kind by kind; see generate.py."""

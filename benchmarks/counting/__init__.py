"""Operation counts beside what others have published."""

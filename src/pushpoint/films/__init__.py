"""Films of runs."""

from pushpoint.films.film import film as film

(SELECT array_agg(CASE WHEN abs(u.x) < 1e-37 THEN 0::real WHEN abs(u.x) < 3e38 THEN u.x::real ELSE 'NaN'::real END ORDER BY u.place) FROM unnest({column}) WITH ORDINALITY AS u (x, place))

/**
 * SQL for at most so many rows. With `LIMIT ?` alone, SQLite would compile the statement again whenever a value is bound,
 * because the number may change its plan: that takes longer than finding a few rows. The plan does not follow from `+?`.
 * @param value the place of the bound number
 */
export const upTo = (value: string): string => `LIMIT +${value}`;

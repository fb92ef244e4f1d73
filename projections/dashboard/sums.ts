export const DAY_SECONDS = 86_400

/** The rows of `sums` that hours add up to: `hours` is SQL with that table's columns. */
export const sumsOfHours = (hours: string): string =>
  `select hour, model, channel, sum(count)::bigint as count, sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
   from ${hours} group by hour, model, channel`

/** The rows of `days` that hours add up to. */
export const daysOfHours = (hours: string): string =>
  `select hour - hour % ${DAY_SECONDS} as day, user_id, token_id, sum(count)::bigint as count,
     sum(quota)::bigint as quota, sum(tokens)::bigint as tokens
   from ${hours} group by 1, 2, 3`

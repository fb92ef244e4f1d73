/** For the page alone: a printed statement has no controls, and no columns of a phone. */
export const NOT_PRINTED = { '@media print': { display: 'none' } } as const

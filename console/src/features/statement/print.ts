/** For the page alone: a printed statement has no controls, and no columns of a phone. */
export const NOT_PRINTED = { '@media print': { display: 'none' } } as const

/** For print alone: what the page says by its controls. */
export const ONLY_PRINTED = { display: 'none', '@media print': { display: 'block' } } as const

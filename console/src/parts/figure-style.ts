/** The look of a figure in a line. As an attribute, since a styled component for each of thousands costs too much. */
export const FIGURE = { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } as const

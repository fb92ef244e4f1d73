/** Attributes of a text that is explained on hover, and on focus, which it therefore takes. */
export const hinted = (hint: string) => ({ 'data-hint': hint, tabIndex: 0 })

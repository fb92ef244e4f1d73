/** Separates the thousands of the first run of digits in a text by commas. */
export const withThousandsApart = (text: string): string =>
  text.replace(/\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','))

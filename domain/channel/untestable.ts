/** Types that answer nothing to a tiny request: drawing and music. */
const UNTESTABLE: ReadonlyMap<number, string> = new Map([
  [2, 'midjourney channel test is not supported'],
  [5, 'midjourney plus channel test is not supported!!!'],
  [36, 'suno channel test is not supported'],
])

/** Why channels of a type cannot be tested, for the admin to read (console-api 2.7); null when they can. */
export const testProblem = (channelType: number): string | null =>
  UNTESTABLE.get(channelType) ?? null

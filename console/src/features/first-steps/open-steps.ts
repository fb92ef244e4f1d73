import { preference, setPreference } from '../../core/preferences.ts'

/** Whether steps were left when this browser last knew: their line keeps its place until that is known again. */
export const areStepsOpen = (): boolean => preference('first-steps') === 'open'

/** Keeps it for the next page. */
export function keepStepsOpen(areOpen: boolean): void {
  if (areStepsOpen() !== areOpen) setPreference('first-steps', areOpen ? 'open' : 'done')
}

/** Where the line stands, and the height of one row of it. */
export const BAR = {
  mx: { base: '3', md: '6' },
  mt: { base: '3', md: '5' },
  minH: '11',
} as const

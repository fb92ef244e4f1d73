import type { Charge } from '../../parts/charge/charge.ts'

/** Members of a price in the order in which they are shown. */
export const PRICE_FACTS = [
  'modelRatio',
  'completionRatio',
  'cacheRatio',
  'cacheWriteRatio',
  'cacheWrite1hRatio',
  'cachedAudioRatio',
  'cachedImageRatio',
  'audioRatio',
  'audioCompletionRatio',
  'imageOutRatio',
  'tierFactor',
  'speedFactor',
  'geoFactor',
  'longInFactor',
  'longOutFactor',
  'callPrice',
  'quotaPerUnit',
  'groupRatio',
] as const

/** Members of a price by the names of their factors, where these are not the same words. */
const FACTORS: Readonly<Partial<Record<(typeof PRICE_FACTS)[number], string>>> = {
  longInFactor: 'long-prompt-factor',
  longOutFactor: 'long-prompt-factor',
}

/** Whether a member of the price had a part in the amount. Where nothing was counted, all of the price is of interest. */
export function isPartOf(
  { arithmetic }: Pick<Charge, 'arithmetic'>,
  name: (typeof PRICE_FACTS)[number],
): boolean {
  if (arithmetic === null || arithmetic.lines.length === 0) return true
  const factor = FACTORS[name] ?? name.replaceAll(/[A-Z]|1h/g, (part) => `-${part.toLowerCase()}`)
  return arithmetic.lines.some(({ factors }) => factors.some((one) => one.name === factor))
}

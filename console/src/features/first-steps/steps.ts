/** The way from a fresh installation to the first charge, in order. */
export const STEPS = ['channel', 'price', 'token', 'call'] as const
/** One of them. */
export type Step = (typeof STEPS)[number]

/** The installation's progress so far. */
export interface Progress {
  /** Models that some channel serves. */
  readonly served: readonly string[]
  /** Models with a ratio or a price. */
  readonly priced: ReadonlySet<string>
  /** Nothing needs a price then. */
  readonly isSelfUse: boolean
  readonly hasToken: boolean
  readonly hasCall: boolean
}

/** The served models that can be called: those with a price, or all in self-use mode. */
export const callableModels = ({ served, priced, isSelfUse }: Progress): readonly string[] =>
  isSelfUse ? served : served.filter((model) => priced.has(model))

/** The served models that are refused because nothing says what they cost. */
export const unpricedModels = ({ served, priced, isSelfUse }: Progress): readonly string[] =>
  isSelfUse ? [] : served.filter((model) => !priced.has(model))

/** Whether a step is done; prices are when no model that is served lacks one. */
export function isDone(step: Step, progress: Progress): boolean {
  switch (step) {
    case 'channel':
      return progress.served.length > 0
    case 'price':
      return progress.served.length > 0 && unpricedModels(progress).length === 0
    case 'token':
      return progress.hasToken
    case 'call':
      return progress.hasCall
    default:
      return step satisfies never
  }
}

/**
 * The step to take now; null when a call has been charged, whatever is missing by now. Prices that lack can wait once one
 * model can be called: few people want a price for all.
 */
export function nextStep(progress: Progress): Step | null {
  if (progress.hasCall) return null
  const canWait = (step: Step) => step === 'price' && callableModels(progress).length > 0
  return STEPS.find((step) => !isDone(step, progress) && !canWait(step)) ?? null
}

import type { Effort } from '../chat/chat-request.ts'

/** From 4.6 on models decide themselves how long they think (platform.claude.com/docs/en/build-with-claude/adaptive-thinking). */
const FIRST_ADAPTIVE = 406
/** From 4.7 on they refuse a budget of thinking, and members of sampling. */
const FIRST_WITHOUT_BUDGET = 407

/** Efforts of models that decide themselves how long they think; null = the model takes a budget alone. */
export function adaptiveEfforts(model: string): readonly [Effort, ...Effort[]] | null {
  const number = numberOf(model)
  if (number < FIRST_ADAPTIVE) return null
  return number === FIRST_ADAPTIVE
    ? ['low', 'medium', 'high', 'max']
    : ['low', 'medium', 'high', 'xhigh', 'max']
}

/** Whether a model refuses temperature, top_p, top_k and a budget of thinking, whatever the version of the API. */
export const refusesSampling = (model: string): boolean => numberOf(model) >= FIRST_WITHOUT_BUDGET

/** The number in a model's name in hundredths, 407 = 4.7; 0 = it has none, or stands before the kind as up to 3.7. */
function numberOf(model: string): number {
  const [, major = '0', minor = '0'] =
    /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  return Number(major) * 100 + Number(minor)
}

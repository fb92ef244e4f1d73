import type { JsonObject } from '../../json.ts'
import type { Effort } from '../chat/chat-request.ts'
import { nearestEffort } from '../chat/effort.ts'

/** Google's largest thinking budget of a flash model, which all take. */
export const BUDGET_MAX = 24_576
/** Up to which a budget asks for a low effort, and for a medium one. */
export const LOW_BUDGET = 1_024
export const MEDIUM_BUDGET = 8_192
/** As Google's own translation from OpenAI has it (ai.google.dev/gemini-api/docs/openai). */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: LOW_BUDGET,
  low: LOW_BUDGET,
  medium: MEDIUM_BUDGET,
  high: BUDGET_MAX,
  xhigh: BUDGET_MAX,
  max: BUDGET_MAX,
}

/** Models from 3 on: they take a level, and refuse a call of a function without the signature of its thought. */
export const isFromThree = (model: string): boolean => /gemini-(?:[3-9]|\d\d)/.test(model)

/** The thinking of a model at an effort: from 3 on by a level, those of 2.5 by a budget; older ones do not think. */
export function thinkingByEffort(effort: Effort, model: string): JsonObject | undefined {
  if (isFromThree(model)) return { thinkingLevel: levelOf(effort, model), includeThoughts: true }
  if (!model.includes('gemini-2.5')) return undefined
  if (effort === 'none') return noThinking(model)
  return { thinkingBudget: BUDGETS[effort], includeThoughts: true }
}

/** The least that a model thinks: Pro models do not stop (ai.google.dev/gemini-api/docs/thinking). */
export function noThinking(model: string): JsonObject {
  if (isFromThree(model)) return { thinkingLevel: levelOf('none', model) }
  return { thinkingBudget: isPro(model) ? PRO_BUDGET_MIN : 0 }
}

/** Thinking within a budget, which models from 3 on know as a level only. */
export function thinkingWithin(tokens: number, model: string): JsonObject {
  const budget = Math.min(BUDGET_MAX, Math.max(budgetMin(model), Math.floor(tokens)))
  if (!isFromThree(model)) return { thinkingBudget: budget, includeThoughts: true }
  return { thinkingLevel: levelOf(effortWithin(budget), model), includeThoughts: true }
}

function effortWithin(budget: number): Effort {
  if (budget <= LOW_BUDGET) return 'low'
  return budget <= MEDIUM_BUDGET ? 'medium' : 'high'
}

function levelOf(effort: Effort, model: string): Effort {
  if (!isPro(model)) return nearestEffort(effort, ['minimal', 'low', 'medium', 'high'])
  if (!FIRST_PRO.test(model)) return nearestEffort(effort, ['low', 'medium', 'high'])
  // As Google's own translation has it.
  return effort === 'medium' ? 'high' : nearestEffort(effort, ['low', 'high'])
}

const isPro = (model: string): boolean => /-pro(?:-|$)/.test(model)
/** Gemini 3 Pro itself: 3.1 has a level more. */
const FIRST_PRO = /gemini-3-pro(?:-|$)/

const PRO_BUDGET_MIN = 128
const LITE_BUDGET_MIN = 512

function budgetMin(model: string): number {
  if (isPro(model)) return PRO_BUDGET_MIN
  return model.includes('flash-lite') ? LITE_BUDGET_MIN : 0
}

import { isDeepStrictEqual } from 'node:util'
import type { Shape } from './shape.ts'

/**
 * The problem and what to do when an event's present shape is not the one that its version was frozen with; else null.
 */
export function shapeProblem(
  type: string,
  version: number,
  present: Shape,
  frozen: Shape | null,
): string | null {
  if (frozen === null) {
    return `${type} version ${version} has no golden file: run \`npm run events:freeze\` and commit what it writes`
  }
  if (isDeepStrictEqual(present, frozen)) return null
  return [
    `The data of ${type} has another shape than version ${version}, and logs hold events of version ${version}.`,
    ...differences(frozen, present),
    `Take the change back, or:`,
    `  1. enter ${type}: ${version + 1} in domain/schema-versions.ts,`,
    `  2. add an upcaster from version ${version} to UPCASTERS in infra/event-store/upcasters.ts,`,
    `  3. run \`npm run events:freeze\` and commit what it writes (domain/README.md, "Changing an event").`,
  ].join('\n')
}

/** One line for each place where two shapes differ. */
function differences(before: Shape | undefined, now: Shape | undefined, path = 'data'): string[] {
  if (isDeepStrictEqual(before, now)) return []
  if (before !== undefined && now !== undefined) {
    const [fieldsBefore, fieldsNow] = [fieldsOf(before), fieldsOf(now)]
    if (fieldsBefore !== null && fieldsNow !== null) {
      const names = new Set([...Object.keys(fieldsBefore), ...Object.keys(fieldsNow)])
      return [...names].flatMap((name) =>
        differences(fieldsBefore[name], fieldsNow[name], `${path}.${name}`),
      )
    }
  }
  return [`  ${path}: was ${textOf(before)}, is ${textOf(now)}`]
}

const fieldsOf = (shape: Shape): Readonly<Record<string, Shape>> | null =>
  typeof shape === 'object' && 'fields' in shape ? shape.fields : null

const textOf = (shape: Shape | undefined): string =>
  shape === undefined ? 'not there' : JSON.stringify(shape)

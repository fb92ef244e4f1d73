import type { z } from 'zod'
import { SCHEMAS_BY_VERSION } from './by-version.ts'
import { compileSchema } from './compile-schema.ts'

/** The data of a stored event is not of the shape that its type has in its version; the message names the first field. */
export class InvalidData extends Error {
  constructor(type: string, schemaVersion: number, problem: string) {
    super(`${type} version ${schemaVersion} does not fit its schema: ${problem}`)
    this.name = 'InvalidData'
  }
}

const CHECKS = new Map(
  [...SCHEMAS_BY_VERSION].map(([type, schemas]) => [
    type,
    schemas.map((schema) => ({ schema, fits: compileSchema(schema) })),
  ]),
)

/** Fails with InvalidData. Types and versions that only a newer Tollgate knows are let through. */
export function checkFit(type: string, schemaVersion: number, data: unknown): void {
  const check = CHECKS.get(type)?.[schemaVersion - 1]
  if (check === undefined || check.fits(data)) return
  throw new InvalidData(type, schemaVersion, problemOf(check.schema, data))
}

/** The first field that does not fit, and why. */
function problemOf(schema: z.ZodType, data: unknown): string {
  const [issue] = schema.safeParse(data).error?.issues ?? []
  if (issue === undefined) return 'its data'
  return `${['data', ...issue.path].join('.')}: ${issue.message}`
}

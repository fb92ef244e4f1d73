import type { Migration } from './migration.ts'
import { auditMigrations } from './audit/schema.ts'
import { channelTelemetryMigrations } from './channels/telemetry-schema.ts'
import { identityMigrations } from './identity/schema.ts'
import { loginNameMigrations } from './identity/login-names.ts'
import { emailCodeMigrations } from './identity/email/email-code-schema.ts'
import { visitorMigrations } from './identity/visitor-schema.ts'
import { externalIdMigrations } from './identity/external-ids.ts'
import { usedSignatureMigrations } from './identity/used-signatures.ts'
import { logPairMigrations } from './timelines/log-pair/schema.ts'
import { postedRequestMigrations } from './idempotency/schema.ts'
import { workflowMigrations } from './workflows/manager/schema.ts'
import { redemptionMigrations } from './redemptions/schema.ts'
import { notificationMigrations } from './notifications/schema.ts'
import { firstTokenMigrations } from './users/first-token.ts'
import { signUpMigrations } from './users/sign-up-schema.ts'
import { taskMigrations } from './tasks/schema.ts'
import { tokenMigrations } from './tokens/schema.ts'

/** All source tables of the write side, in the order in which they are made. */
export const commandApiMigrations: readonly Migration[] = [
  ...identityMigrations,
  ...workflowMigrations,
  ...notificationMigrations,
  ...visitorMigrations,
  ...signUpMigrations,
  ...redemptionMigrations,
  ...auditMigrations,
  ...taskMigrations,
  ...emailCodeMigrations,
  ...externalIdMigrations,
  ...loginNameMigrations,
  ...postedRequestMigrations,
  ...firstTokenMigrations,
  ...usedSignatureMigrations,
  ...tokenMigrations,
  ...logPairMigrations,
  ...channelTelemetryMigrations,
]

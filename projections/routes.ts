import type { ApiRoute } from '@tollgate/command-api/http-contract/api-route.ts'
import type { CommonQueryMethods } from 'slonik'
import { openArchives } from './archive/archives.ts'
import { type HoldReadDeps, holdReadRoutes } from './balances/routes.ts'
import { type ChannelReadDeps, channelReadRoutes } from './channels/routes.ts'
import { type DashboardDeps, dashboardRoutes } from './dashboard/routes.ts'
import { type DrawingDeps, drawingRoutes } from './drawings/routes.ts'
import { journalExportRoute } from './journal/export/export-route.ts'
import { type JournalReadDeps, journalRoutes } from './journal/routes.ts'
import { type PriceReadDeps, priceReadRoutes } from './prices/routes.ts'
import { type PricingReadDeps, pricingReadRoutes } from './pricing/routes.ts'
import { type RedemptionReadDeps, redemptionReadRoutes } from './redemptions/routes.ts'
import { balanceRoutes } from './statement/balance-routes.ts'
import { exportRoutes } from './statement/export/export-routes.ts'
import { type StatementDeps, statementRoutes } from './statement/routes.ts'
import { trialBalanceRoute } from './statement/trial-balance-route.ts'
import { type TaskReadDeps, taskReadRoutes } from './tasks/routes.ts'
import { type TokenReadDeps, tokenReadRoutes } from './tokens/routes.ts'
import { type TopUpReadDeps, topUpReadRoutes } from './top-ups/routes.ts'
import { logDetailRoutes } from './usage-log/detail-routes.ts'
import { type UsageLogDeps, usageLogRoutes } from './usage-log/routes.ts'
import { trafficRoute } from './usage-log/traffic-route.ts'

/** The dependencies of reading on the rest of the process. */
export type ReadDeps = UsageLogDeps &
  DashboardDeps &
  HoldReadDeps &
  JournalReadDeps &
  PriceReadDeps &
  PricingReadDeps &
  RedemptionReadDeps &
  StatementDeps &
  Omit<TopUpReadDeps, 'names'> &
  Omit<ChannelReadDeps, 'names'> &
  TokenReadDeps &
  DrawingDeps &
  TaskReadDeps & {
    /** Plans each query once: for those of the journal, which are short and many to a page. */
    readonly preparedReads: CommonQueryMethods
  }

/** Every console route that only reads read models. */
export function readRoutes(deps: ReadDeps): readonly ApiRoute[] {
  const archives = openArchives(deps.reads)
  const journal = { ...deps, reads: deps.preparedReads }
  return [
    ...usageLogRoutes(deps),
    ...logDetailRoutes(journal),
    trafficRoute(deps),
    ...dashboardRoutes(deps),
    ...tokenReadRoutes(deps),
    ...channelReadRoutes(deps),
    ...holdReadRoutes(deps),
    ...journalRoutes(journal),
    journalExportRoute(deps, archives),
    ...pricingReadRoutes(deps),
    ...priceReadRoutes(deps),
    ...redemptionReadRoutes(deps),
    ...drawingRoutes(deps),
    ...taskReadRoutes(deps),
    ...topUpReadRoutes(deps),
    ...statementRoutes(journal),
    ...balanceRoutes(journal),
    ...exportRoutes(deps, archives),
    trialBalanceRoute(deps),
  ]
}

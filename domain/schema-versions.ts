/**
 * Schema versions by event type, where they are above 1. A change to the shape of an event's data raises its version
 * here and adds an upcaster. README.md, "Changing an event", has the steps, and tests/golden checks that they were
 * taken.
 */
const SCHEMA_VERSIONS: Readonly<Record<string, number>> = {
  BalanceCarriedForward: 2,
  ChannelAdded: 2,
  ChannelRevised: 2,
  HoldExpired: 2,
  HoldReleased: 2,
  OptionChanged: 2,
  QuotaCredited: 2,
  QuotaDebited: 2,
  RequestFailed: 6,
  TokenIssued: 2,
  TokenRevised: 2,
  UsageCharged: 7,
  UsageRefunded: 3,
  UserRegistered: 2,
}

/** The version that events of a type are written in now, from 1. */
export const schemaVersionOf = (type: string): number => SCHEMA_VERSIONS[type] ?? 1

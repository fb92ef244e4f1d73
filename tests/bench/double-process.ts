import { startEventStoreDbDouble } from '../support/engines/eventstoredb-double/double.ts'

/** The EventStoreDB double as a process of its own, so that its work is not counted as the product's. Prints its URL. */
const double = await startEventStoreDbDouble()
process.stdout.write(`${double.connectionString}\n`)

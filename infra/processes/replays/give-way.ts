import { constants, setPriority } from 'node:os'
import process from 'node:process'

/**
 * Lets all other threads go first whenever they want a processor: for the calling thread and those that it starts from now
 * on. Only Linux has priorities of threads.
 */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)
}

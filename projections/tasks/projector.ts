import { taskProjector } from './task-rows.ts'

/** Every song, for the task log. */
export const tasks = taskProjector('tasks', 'suno')

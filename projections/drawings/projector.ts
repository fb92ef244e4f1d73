import { taskProjector } from '../tasks/task-rows.ts'

/** Every drawing, for the drawing log. */
export const drawings = taskProjector('drawings', 'mj')

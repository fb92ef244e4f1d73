/** Where a process or a thread writes its log. */
interface ErrorLog {
  error(fields: object, message: string): void
}

/**
 * From now on a rejection that nobody handles is logged and counted, and ends nothing: it belongs to one piece of work.
 * Holds for the process or the thread it is called in. The answer takes it back.
 */
export function surviveRejections(logger: ErrorLog): () => void {
  let rejections = 0
  const onRejection = (err: unknown): void => {
    rejections += 1
    logger.error({ err, rejections }, 'process: nobody handled a rejection; the process goes on')
  }
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}

import { consoleSizes } from './size-report.ts'

const sizes = consoleSizes()
for (const { name, bytes, limit } of sizes)
  process.stdout.write(
    `${bytes <= limit ? 'ok  ' : 'OVER'} ${kilobytes(bytes)} of ${kilobytes(limit)}  ${name}\n`,
  )
process.exitCode = sizes.every(({ bytes, limit }) => bytes <= limit) ? 0 : 1

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

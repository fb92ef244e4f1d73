import type { Mark } from './chart-marks.ts'
import { fillOf, patternId } from './chart-marks.ts'

/** The SVG patterns of some marks, for the `<defs>` of a drawing that uses them. */
export function MarkPatterns({ marks }: { marks: readonly Mark[] }) {
  return (
    <defs>
      {marks
        .filter((mark) => mark.pattern !== 'solid')
        .map((mark) => (
          <pattern
            key={patternId(mark)}
            id={patternId(mark)}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            {...(isDiagonal(mark) ? { patternTransform: 'rotate(45)' } : {})}
          >
            <rect
              width="6"
              height="6"
              fill={mark.color}
              {...(mark.pattern === 'hatched' ? { fillOpacity: '0.28' } : {})}
            />
            {mark.pattern === 'hatched' ? (
              <rect width="6" height="2.2" fill={mark.color} />
            ) : mark.pattern === 'dots' ? (
              <circle cx="3" cy="3" r="1.3" fill="#fff" fillOpacity="0.55" />
            ) : (
              <rect width="6" height="1.6" fill="#fff" fillOpacity="0.4" />
            )}
          </pattern>
        ))}
    </defs>
  )
}

const isDiagonal = ({ pattern }: Mark): boolean => pattern === 'diagonal' || pattern === 'hatched'

/** A small square in a series' mark, for legends and lists. */
export function Swatch({ mark }: { mark: Mark }) {
  return (
    <svg width="12" height="12" aria-hidden style={{ flexShrink: 0 }}>
      <MarkPatterns marks={[mark]} />
      <rect width="12" height="12" rx="2" fill={fillOf(mark)} />
    </svg>
  )
}

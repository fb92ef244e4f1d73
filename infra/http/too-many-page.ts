/**
 * The page that a browser shows while its address asks for pages too often: says the message and the same in English, since the
 * visitor's choice is known to the console alone, and loads the page anew when it may be had again.
 */
export const tooManyPage = (message: string, retryAfterSeconds: number): string => `<!doctype html>
<html lang="zh">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="refresh" content="${retryAfterSeconds}" />
    <title>429</title>
  </head>
  <body style="font: 16px/1.5 system-ui, sans-serif; max-width: 32em; margin: 15vh auto; padding: 0 16px">
    <p>${message}</p>
    <p>${retryAfterSeconds} 秒后将自动重新加载。</p>
    <p lang="en">
      Too many pages were opened from this address. This page loads again by itself in ${retryAfterSeconds} s.
    </p>
  </body>
</html>
`

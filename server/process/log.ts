import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'

/** Errors are logged without the personal data that their messages may quote. */
export function createLog(level: string, to?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    redact: [
      'password',
      'newPassword',
      'token',
      'apiKey',
      'secretKey',
      'clientSecret',
      '*.password',
      '*.token',
      '*.apiKey',
      '*.secretKey',
      'req.headers.cookie',
      'req.headers.authorization',
    ],
    serializers: { err: describeError, error: describeError },
  }
  return to ? pino(options, to) : pino(options)
}

type ErrorDescription = { type: string; message: string; stack: string } & Record<string, unknown>

/** Error fields that cannot hold anything a person typed. */
const loggedErrorFields = [
  'code',
  'severity',
  'table',
  'column',
  'constraint',
  'routine',
  'statusCode',
  'responseCode',
  'requestId',
]

function describeError(error: unknown): ErrorDescription | string {
  // pg-boss passes on copies of errors.
  if (isCopiedError(error)) return describeError(Object.assign(new Error(error.message), error))
  if (!(error instanceof Error)) return redactEmails(String(error))
  const { name, stack = '', cause } = error
  const fields = error as unknown as Record<string, unknown>
  const message = messageOf(error)
  // Only the frames: the first lines of a stack repeat the original message.
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line))
  const description: ErrorDescription = { type: name, message, stack: [`${name}: ${message}`, ...frames].join('\n') }
  for (const key of loggedErrorFields) if (fields[key] !== undefined) description[key] = fields[key]
  if (cause instanceof Error) description.cause = describeError(cause)
  if (error instanceof AggregateError) description.errors = error.errors.map(describeError)
  return description
}

const isCopiedError = (value: unknown): value is { message: string } =>
  !(value instanceof Error) &&
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'message') === 'string'

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return redactEmails(String(error))
  // Drizzle appends the values of a statement to its message.
  const [text = ''] = error.message.split('\nparams: ')
  // PostgreSQL quotes values in errors about unreadable data (class 22) and in errors raised by triggers (P0001).
  const { code } = error as { code?: unknown }
  const quotesValues = typeof code === 'string' && /^(22|P0)/.test(code)
  return redactEmails(quotesValues ? text.replace(/".*"/s, '"…"') : text)
}

/** Cuts the text first, because the search takes quadratic time for a long word without @. */
const redactEmails = (text: string) => text.slice(0, 4000).replaceAll(/[^\s"'<>(),:;=]+@[^\s"'<>(),:;=]+/g, '<email>')

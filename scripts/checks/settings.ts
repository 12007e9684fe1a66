/** Whether `.env.example` explains every setting the server reads, and nothing else. */
export function checkSettings(example: string, names: string[]): string[] {
  const explained = [...example.matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map((match) => match[1] ?? '')
  return [
    ...names
      .filter((name) => !explained.includes(name))
      .map((name) => `.env.example does not explain ${name}`),
    ...explained
      .filter((name) => !names.includes(name))
      .map((name) => `.env.example has ${name}, which nothing reads`),
    ...explained
      .filter((name, index) => explained.indexOf(name) !== index)
      .map((name) => `.env.example has ${name} twice`),
  ]
}

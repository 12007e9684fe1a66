export const production = {
  NODE_ENV: 'production',
  PAYMENTS: 'sandbox',
  PUBLIC_URL: 'https://shop.example',
  SECRETS_KEY: '8c1f3a77d0e2b94566a1c8d93e07f25ab4d06c9871e3f0529bd47a6e15c82f30',
}

// The package brings no types; declared here is what the tests use of it.
declare module 'oidc-provider' {
  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): import('node:http').RequestListener;
  }
}

//! Operations that are one request with one answer: declared by what they send and what comes back.

/// Declares operations of the client: `name(arguments) -> answer = METHOD [path], query …, json …, headers …;`. Each part of
/// the path is escaped. Without an answer, only success counts.
macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident($($argument:ident: $type:ty),*) $(-> $answer:ty)? =
            $method:ident [$($part:expr),*] $(, query $query:expr)* $(, json $body:expr)? $(, headers $headers:expr)?;
    )*) => {
        impl crate::Client {
            $(
                $(#[doc = $doc])*
                pub async fn $name(&self, $($argument: $type),*) -> crate::Result<operations!(@type $($answer)?)> {
                    let request = self.request(reqwest::Method::$method, &[$($part),*], crate::client::JSON)?;
                    $(let request = request.query(&$query);)*
                    $(let request = request.json($body);)?
                    $(let request = crate::client::with_headers(request, $headers)?;)?
                    operations!(@answer self request $($answer)?)
                }
            )*
        }
    };
    (@type) => { () };
    (@type $answer:ty) => { $answer };
    (@answer $client:ident $request:ident) => { $client.send($request).await.map(drop) };
    (@answer $client:ident $request:ident $answer:ty) => { $client.ask($request).await };
}

pub(crate) use operations;

package tollgate;

import static tollgate.Jobs.seen;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.ObjectMappers;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the official package shows of an answer: objects, chunks, what its accumulator makes of them, errors. */
final class OpenAiJava {
  private static final List<String> KINDS =
      List.of("chat", "stream", "stream-usage", "tools", "tools-stream");
  /** Its connections serve all jobs. */
  private static final OpenAIClient ROOT =
      OpenAIOkHttpClient.builder().apiKey("none").maxRetries(0).build();

  public static void main(String[] args) throws Exception {
    Jobs.run(KINDS, ObjectMappers.jsonMapper(), OpenAiJava::observe);
  }

  private static Object observe(Jobs.Job job) {
    OpenAIClient client =
        ROOT.withOptions(options -> options.baseUrl(job.baseURL()).apiKey(job.apiKey()));
    if (job.isStream()) return streamed(client, job);
    try {
      return seen("answer", client.chat().completions().create(asked(job)));
    } catch (RuntimeException error) {
      return seen("error", errorOf(error));
    }
  }

  private static Object streamed(OpenAIClient client, Jobs.Job job) {
    List<ChatCompletionChunk> chunks = new ArrayList<>();
    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(asked(job))) {
      stream.stream().forEach(chunks::add);
    } catch (RuntimeException error) {
      return seen("chunks", chunks, "error", errorOf(error));
    }
    return seen("chunks", chunks, "final", accumulated(chunks));
  }

  private static Object accumulated(List<ChatCompletionChunk> chunks) {
    try {
      ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
      chunks.forEach(whole::accumulate);
      return whole.chatCompletion();
    } catch (RuntimeException error) {
      return String.valueOf(error);
    }
  }

  private static ChatCompletionCreateParams asked(Jobs.Job job) {
    ChatCompletionCreateParams.Builder params =
        ChatCompletionCreateParams.builder().model(job.model()).addUserMessage(Jobs.QUESTION);
    if (job.offersTools()) params.addFunctionTool(tool());
    if (job.asksForUsage())
      params.streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build());
    return params.build();
  }

  private static FunctionDefinition tool() {
    FunctionParameters.Builder parameters = FunctionParameters.builder();
    parameters.putAdditionalProperty("type", JsonValue.from("object"));
    parameters.putAdditionalProperty(
        "properties", JsonValue.from(Map.of("city", Map.of("type", "string"))));
    parameters.putAdditionalProperty("required", JsonValue.from(List.of("city")));
    return FunctionDefinition.builder()
        .name("weather")
        .description("The weather of a city")
        .parameters(parameters.build())
        .build();
  }

  private static Object errorOf(RuntimeException error) {
    String name = error.getClass().getSimpleName();
    if (!(error instanceof OpenAIServiceException service))
      return seen("name", name, "message", error.getMessage());
    return seen(
        "name", name,
        "status", service.statusCode(),
        "code", service.code().orElse(null),
        "type", service.type().orElse(null),
        "param", service.param().orElse(null),
        "body", service.body(),
        "retry-after", service.headers().values("retry-after"),
        "retry-after-ms", service.headers().values("retry-after-ms"),
        "x-should-retry", service.headers().values("x-should-retry"));
  }
}

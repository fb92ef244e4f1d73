package tollgate;

import static tollgate.Jobs.seen;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialThinking;
import dev.langchain4j.model.chat.response.PartialToolCall;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What langchain4j shows of an answer: its message, the pieces of a stream, errors. It asks for usage by itself. */
final class LangChain4j {
  private static final List<String> KINDS = List.of("chat", "stream-usage", "tools", "tools-stream");

  public static void main(String[] args) throws Exception {
    Jobs.run(KINDS, new JsonMapper(), LangChain4j::observe);
  }

  private static Object observe(Jobs.Job job) throws Exception {
    return job.isStream() ? streamed(job) : whole(job);
  }

  private static Object whole(Jobs.Job job) {
    try {
      OpenAiChatModel model =
          OpenAiChatModel.builder()
              .baseUrl(job.baseURL())
              .apiKey(job.apiKey())
              .modelName(job.model())
              .returnThinking(true)
              .maxRetries(0)
              .build();
      return seen("answer", shown(model.chat(asked(job))));
    } catch (RuntimeException error) {
      return seen("error", errorOf(error));
    }
  }

  private static Object streamed(Jobs.Job job) throws Exception {
    List<Object> pieces = new ArrayList<>();
    CompletableFuture<Object> ended = new CompletableFuture<>();
    OpenAiStreamingChatModel model =
        OpenAiStreamingChatModel.builder()
            .baseUrl(job.baseURL())
            .apiKey(job.apiKey())
            .modelName(job.model())
            .returnThinking(true)
            .build();
    model.chat(
        asked(job),
        new StreamingChatResponseHandler() {
          @Override
          public void onPartialResponse(String text) {
            pieces.add(seen("text", text));
          }

          @Override
          public void onPartialThinking(PartialThinking thinking) {
            pieces.add(seen("thinking", thinking.text()));
          }

          @Override
          public void onPartialToolCall(PartialToolCall call) {
            pieces.add(seen("call", call.toString()));
          }

          @Override
          public void onCompleteResponse(ChatResponse response) {
            ended.complete(seen("pieces", pieces, "answer", shown(response)));
          }

          @Override
          public void onError(Throwable error) {
            ended.complete(seen("pieces", pieces, "error", errorOf(error)));
          }
        });
    return ended.get();
  }

  private static ChatRequest asked(Jobs.Job job) {
    ChatRequest.Builder request = ChatRequest.builder().messages(UserMessage.from(Jobs.QUESTION));
    if (job.offersTools()) request.toolSpecifications(tool());
    return request.build();
  }

  private static ToolSpecification tool() {
    return ToolSpecification.builder()
        .name("weather")
        .description("The weather of a city")
        .parameters(JsonObjectSchema.builder().addStringProperty("city").required("city").build())
        .build();
  }

  private static Object shown(ChatResponse response) {
    return seen(
        "text", response.aiMessage().text(),
        "thinking", response.aiMessage().thinking(),
        "calls", response.aiMessage().toolExecutionRequests().toString(),
        "id", response.id(),
        "model", response.modelName(),
        "usage", String.valueOf(response.tokenUsage()),
        "finish", String.valueOf(response.finishReason()));
  }

  private static Object errorOf(Throwable error) {
    String name = error.getClass().getSimpleName();
    return error.getCause() instanceof HttpException http
        ? seen("name", name, "status", http.statusCode(), "body", http.getMessage())
        : seen("name", name, "message", error.getMessage());
  }
}
